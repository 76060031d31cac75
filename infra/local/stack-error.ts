/** A reason not to start, or to end, that a person can act on; its message is one sentence. */
export class StackError extends Error {}
