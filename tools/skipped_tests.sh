#!/bin/sh
# Prints why tests skipped themselves in the last run of CTest, whose summary only names them:
#     tools/skipped_tests.sh BUILD_FOLDER
exec awk '
  /^[0-9]+\/[0-9]+ Testing: / { name = $3 }
  /^skipped: /                { tests[substr($0, 10)] = tests[substr($0, 10)] " " name }
  END { for (reason in tests) print "Skipped, " reason ":" tests[reason] }
' "$1/Testing/Temporary/LastTest.log"
