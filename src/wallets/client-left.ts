/** Why the work of a request was given up: nobody waits for its answer. */
export const CLIENT_LEFT = new Error('the client has left');
