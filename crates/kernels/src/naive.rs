//! The lowest rung: each value the mex of its options, every pair of heaps looked at. O(n²) time, four bytes a heap.
