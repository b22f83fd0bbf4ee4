import { Ajv, type ValidateFunction } from 'ajv';
import { type Prepared, VALUE_KEYWORDS } from './value-keywords.ts';

/** A fault and its place. */
export type ValidatorFault = {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/** `errors` belongs to the last call. */
export type Validator = { (value: unknown): boolean; errors?: readonly ValidatorFault[] | null };

const DEFINITIONS = 'definitions';

/** A reference to a definition that validators share. */
export const sharedRef = (title: string): string => `${DEFINITIONS}#/$defs/${title}`;

/**
 * Makes validators of schemas, for tests and for tools that check a server. Each is compiled on its first call, and each definition (see
 * `sharedRef`) once for all of them.
 *
 * @param allErrors true: a validator continues after the first fault.
 */
export const createLazyValidators = (
  definitions: Readonly<Record<string, Prepared>>,
  { allErrors }: { readonly allErrors: boolean },
): ((schema: Prepared) => Validator) => {
  let ajv: Ajv | undefined;
  const compile = (schema: Prepared): ValidateFunction => {
    ajv ??= new Ajv({
      allErrors,
      strict: false,
      messages: false,
      unicode: false,
      validateFormats: false,
      validateSchema: false,
      logger: false,
      inlineRefs: false,
      keywords: [...VALUE_KEYWORDS],
    }).addSchema({ $id: DEFINITIONS, $defs: definitions });
    return ajv.compile(schema);
  };
  return (schema) => {
    let validate: ValidateFunction | undefined;
    const validator: Validator = (value) => {
      validate ??= compile(schema);
      const fits = validate(value);
      validator.errors = validate.errors ?? null;
      return fits;
    };
    return validator;
  };
};
