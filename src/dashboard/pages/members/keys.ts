/** Key of the query that holds the members. */
export const MEMBERS_KEY = ['members'] as const;

/** Key of the query that holds the open invitations. */
export const INVITATIONS_KEY = ['invitations'] as const;
