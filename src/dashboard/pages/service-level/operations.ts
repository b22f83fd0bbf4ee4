/** The operations of the page, as the reference has them. */
export const GET_AVAILABILITY = ['Service level', 'getAvailability'] as const;
export const ANNOUNCE_WORK = ['Operators', 'announceWork'] as const;
