// What the shapes of all areas are made of, as JSON Schema.

export const text = { type: 'string', minLength: 1 };

export const count = { type: 'integer', minimum: 0 };

/** An object of any members, all with values of one shape. */
export const named = (value: object) => ({ type: 'object', additionalProperties: value });

/** An object of these members and no other. */
export const closed = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  additionalProperties: false,
  properties,
});

/** A schema of the area, where its shape has one among its definitions. */
export const schema = { $ref: '#/definitions/schema' };
