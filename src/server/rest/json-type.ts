/** Media type of an answer as one JSON value. */
export const JSON_TYPE = 'application/json; charset=utf-8';
