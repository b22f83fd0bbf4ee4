/** How the account is called that the server makes for itself. No customer's account may be. */
export const DEVELOPMENT = 'development';
