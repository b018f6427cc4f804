"""Evidence measured: metrics with chance levels, intervals and corrections."""
