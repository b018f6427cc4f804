"""What is kept between runs: vectors and indexes, and how items are removed from both."""
