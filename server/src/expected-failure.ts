/** A failure that the operator can fix. Its message says how and is shown without a stack. */
export class ExpectedFailure extends Error {}
