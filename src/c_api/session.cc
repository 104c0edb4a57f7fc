#include <memory>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/views.h"
#include "rwa/c_api.h"
#include "rwa/model.h"

struct rwa_session {
  rwa::Session session;
  rwa::c_api::Sizes sizes;
};

namespace {
using rwa::c_api::guarded;
using rwa::c_api::numbers;
using rwa::c_api::require;
}  // namespace

extern "C" {

rwa_result rwa_session_new(const rwa_model* model, const char* options, rwa_session** out) {
  return guarded([&] {
    require(model, "model");
    require(out, "out");
    rwa::SessionOptions session;
    rwa::io::Fields reader = rwa::c_api::read_options(options, "session options");
    rwa::c_api::read_session(reader, session);
    reader.finish();
    *out = std::make_unique<rwa_session>(
               rwa_session{rwa::Session(model->model, session), rwa::c_api::Sizes(model->model)})
               .release();
  });
}

void rwa_session_free(rwa_session* session) { delete session; }

rwa_result rwa_session_run(rwa_session* session, const rwa_batch* batch, float* y, size_t count) {
  return guarded([&] {
    require(session, "session");
    session->session.run(session->sizes.view(batch), numbers(y, count, "y"));
  });
}

rwa_result rwa_session_loss(rwa_session* session, const rwa_batch* batch,
                            const rwa_targets* targets, float* y, size_t count, double* loss) {
  return guarded([&] {
    require(session, "session");
    require(loss, "loss");
    *loss = session->session.loss(session->sizes.view(batch), session->sizes.view(targets, batch),
                                  {y, y == nullptr ? 0 : count});
  });
}

rwa_result rwa_session_gradient(rwa_session* session, const rwa_batch* batch,
                                const rwa_targets* targets, float* weights, float* x,
                                double* loss) {
  return guarded([&] {
    require(session, "session");
    require(weights, "weights");
    require(loss, "loss");
    const auto& sizes = session->sizes;
    const rwa::BatchView in = sizes.view(batch);
    const rwa::GradientView out = {.weights = {weights, sizes.parameters},
                                   .x = {x, x == nullptr ? 0 : sizes.inputs(*batch)}};
    *loss = session->session.gradient(in, sizes.view(targets, batch), out);
  });
}

rwa_result rwa_session_shares(rwa_session* session, const rwa_batch* batch, float* shares,
                              size_t count) {
  return guarded([&] {
    require(session, "session");
    session->session.shares(session->sizes.view(batch), numbers(shares, count, "shares"));
  });
}
}
