#include "paper/authors_logs.h"

#include <set>
#include <string>

#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

TEST(AuthorsLogs, TheTestLinesBecomeACurve) {
  EXPECT_EQ(to_curve("Iteration: 0 Dataset: train Cost: 1.0020663743 Accuracy: 48.0\n"
                     "Iteration: 0 Dataset: test Cost: 0.996004157838 Accuracy: 46.0\n"
                     "Iteration: 1 Dataset: train Cost: 0.999300979263 Accuracy: 58.0\n"
                     "Iteration: 100 Dataset: test Cost: 6.827681234e-07 Accuracy: 100.0\n",
                     "bits", "log"),
            "step,bits,accuracy\n0,0.996004,46.0\n100,6.82768e-07,100.0\n");
}

TEST(AuthorsLogs, WithoutAccuracy) {
  EXPECT_EQ(to_curve("Iteration: 0 Dataset: test Cost: 1.0983\n"
                     "Iteration: 0 Dataset: train Cost: 1.2\n"
                     "Iteration: 100 Dataset: test Cost: 0.1600004",
                     "mse", "log"),
            "step,mse,accuracy\n0,1.0983,\n100,0.16,\n");
}

TEST(AuthorsLogs, ALineThatIsNotUnderstoodIsNamed) {
  for (const std::string line :
       {"", "Warning", "Iteration: x Dataset: test Cost: 1", "Iteration: 1 Dataset: test Cost: ",
        "Iteration: 1 Dataset: test Cost: 1x", "Iteration: 1 Dataset: other Cost: 1",
        "Iteration: 1 Dataset: test", "Iteration: 1 Dataset: test Cost: 1 Accuracy: ",
        "Iteration: 1 Dataset: test Cost: 1 Accuracy: 1,2",
        "Iteration: 1 Dataset: test Cost: 1 Accuracy: 50.0 more",
        "Iteration: 1 Dataset: test Cost: 1 Recall: 50.0", "Iteration: 1 Dataset: train Cost: 1\r",
        "Iteration: 1  Dataset: train Cost: 1"}) {
    SCOPED_TRACE(line);
    io::expect_error<InputError>(
        [&] {
          to_curve("Iteration: 0 Dataset: test Cost: 1.0983\n" + line + "\n", "mse", "a/train.out");
        },
        {"a/train.out:2: found \"", "expected \"Iteration: 100 Dataset: test Cost: 0.5\""});
  }
}

TEST(AuthorsLogs, TwelveOfThem) {
  std::set<std::string_view> curves;
  std::set<std::string_view> paths;
  std::set<std::string_view> sums;
  for (const AuthorsLog& log : authors_logs()) {
    curves.insert(log.curve);
    paths.insert(log.path);
    sums.insert(log.sha256);
    EXPECT_EQ(log.sha256.size(), 64) << log.curve;
    EXPECT_EQ(log.unit, log.curve.starts_with("adding") ? "mse" : "bits") << log.curve;
    const bool is_rwa = log.curve.ends_with(".rwa");
    EXPECT_TRUE(log.path.ends_with(is_rwa ? "/rwa_model/train.out" : "/lstm_model/train.out"))
        << log.curve;
  }
  EXPECT_EQ(curves.size(), 12);
  EXPECT_EQ(paths.size(), 12);
  EXPECT_EQ(sums.size(), 12);
}

}  // namespace
}  // namespace rwa::paper
