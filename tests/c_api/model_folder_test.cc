// tests/c_api/model_folder_test.cc: models can be loaded from a run folder; errors of an import
// name its options.
#include <filesystem>

#include "c_api/c_api_testing.h"
#include "io/io_testing.h"

namespace rwa::c_api {
namespace {

TEST(CModelFolder, IsLoadedLikeItsFile) {
  const io::TempFolder folder;
  const std::string path = folder.path();
  rwa_model* out = nullptr;
  expect_failure(rwa_model_load(path.c_str(), &out), RWA_CONFIG_ERROR,
                 {path, "is a folder without a model.safetensors", "expected"});
  EXPECT_EQ(out, nullptr);
  const auto model = new_model(R"({"inputs": 2, "units": 3})");
  expect_ok(rwa_model_save(model.get(), (path + "/model.safetensors").c_str()));
  const auto loaded = made<ModelHandle>(rwa_model_load, path.c_str());
  const char* config = nullptr;
  expect_ok(rwa_model_config(loaded.get(), &config));
  EXPECT_NE(std::string(config).find(R"("units":3)"), std::string::npos) << config;
}

TEST(CImport, NamesItsOptionsAsTheyAreGiven) {
  rwa_model* out = nullptr;
  expect_failure(rwa_import_torch("none", nullptr, R"({"head": "fc", "no_head": true})", &out),
                 RWA_CONFIG_ERROR, {"the options head and no_head are both given"});
}

}  // namespace
}  // namespace rwa::c_api
