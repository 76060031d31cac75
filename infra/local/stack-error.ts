/** A reason not to start, or to stop, that a person can act on. Its message is one sentence. */
export class StackError extends Error {}
