// What the stand-ins for k6's modules share.

/// The iteration that runs, as k6/execution shows it.
export const iteration = { name: '', number: 0 };

/// Seconds that have passed, as far as anything here takes any.
export const clock = { now: 0 };

/// What every metric has come to: the sum of what was added, and how often.
export const figures = {};

/// lose: a call in a hundred is accepted and not recorded; twice: one in a hundred is made twice; again: a page of events begins
/// with the last one of the page before; refuse: nothing is accepted. How often it happened.
export const fault = { name: '', times: 0 };
