"""landbridge's benchmarks: suites as data, every timed answer checked, results as JSON lines."""
