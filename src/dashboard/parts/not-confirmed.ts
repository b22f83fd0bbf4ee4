/** Thrown by a call whose second factor the member did not confirm. */
export class NotConfirmedError extends Error {}
