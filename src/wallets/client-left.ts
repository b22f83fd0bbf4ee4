/** The abort reason of a request whose client has disconnected. */
export const CLIENT_LEFT = new Error('the client has left');
