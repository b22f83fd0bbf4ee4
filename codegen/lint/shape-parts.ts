// Parts of the shapes of all areas, as JSON Schema.

export const text = { type: 'string', minLength: 1 };

export const count = { type: 'integer', minimum: 0 };

/** An object of any members, all with values of one shape. */
export const named = (value: object) => ({ type: 'object', additionalProperties: value });

/** An object with these members only. */
export const closed = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  additionalProperties: false,
  properties,
});

/** A schema of the area, which its shape has among its definitions. */
export const schema = { $ref: '#/definitions/schema' };
