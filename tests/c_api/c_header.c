/* tests/c_api/c_header.c: the header is valid C, and a C program can use it. */
#include "rwa/c_api.h"

#include <stdio.h>
#include <string.h>

static int fails(const char* what) {
  fprintf(stderr, "%s: %s\n", what, rwa_last_error());
  return 1;
}

int main(void) {
  rwa_model* model = NULL;
  rwa_session* session = NULL;
  const float x[4] = {0.5F, -1.0F, 2.0F, 0.25F};
  const rwa_batch batch = {x, NULL, NULL, 2, 2};
  float y[2] = {0.0F, 0.0F};

  if (rwa_c_api_version() != RWA_C_API_VERSION) return fails("rwa_c_api_version");
  if (rwa_model_new("{\"inputs\": 1, \"units\": 3}", &model) != RWA_OK) return fails("rwa_model_new");
  if (rwa_session_new(model, NULL, &session) != RWA_OK) return fails("rwa_session_new");
  if (rwa_session_run(session, &batch, y, 2) != RWA_OK) return fails("rwa_session_run");
  if (y[0] == y[1]) return fails("different sequences, the same answer");
  if (rwa_model_new("{\"unit\": 3}", &model) != RWA_CONFIG_ERROR) return fails("an unknown option");
  if (strstr(rwa_last_error(), "units") == NULL) return fails("no suggestion");
  rwa_session_free(session);
  rwa_model_free(model);
  return 0;
}
