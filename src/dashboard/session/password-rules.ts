export const PASSWORD_MINIMUM = 12;
export const PASSWORD_LIMIT = 128;
