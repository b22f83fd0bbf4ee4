/** Name of the account that the server creates for itself. No customer's account may have it. */
export const DEVELOPMENT = 'development';
