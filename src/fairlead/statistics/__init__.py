"""Statistics: nulls, intervals, corrections for many looks, paired comparisons, power."""
