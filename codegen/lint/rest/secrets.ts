import { resolve } from '../../model/schema.ts';
import { hasSecret, type RestSchema } from '../../model/rest/schema.ts';
import { pointerTo } from '../../problem.ts';
import { finding } from '../ledger/rule.ts';
import type { RestRule } from './rule.ts';

/** Members of these names are always secrets. */
const SECRET_NAMES = /^(mnemonic|passphrase|seed|password|.*secret.*|private.*)$/;

/** A member that is named like a secret, or is one elsewhere, is marked as one. An answer that may contain a secret must not be cached. */
export const checkSecrets: RestRule = ({ parts, model, operations }) => {
  const whole = model();
  const members = parts.flatMap(({ file, pointer, schema }) =>
    Object.keys(schema.properties ?? {}).map((name) => ({
      file,
      pointer: pointerTo(pointer, 'properties', name),
      name,
      isSecret: isSecret(schema.properties?.[name]),
    })),
  );
  const secret = new Set(members.filter((member) => member.isSecret).map(({ name }) => name));
  return [
    ...members
      .filter(({ name, isSecret: marked }) => !marked && (secret.has(name) || SECRET_NAMES.test(name)))
      .map(({ file, pointer, name }) =>
        finding('secrets', { file, pointer }, `${name} is a secret: its schema needs x-secret`, false),
      ),
    ...whole.operations.flatMap(({ id, success }) => {
      const file = operations.find(({ operation }) => operation.operationId === id)?.file ?? '';
      const carries = success.content.some(
        ({ itemSchema, schema = itemSchema }) => schema && hasSecret(schema, whole.schemas),
      );
      return carries && !success.headers.includes('Cache-Control')
        ? [
            finding(
              'secrets',
              { file, pointer: `/responses/${success.status}/headers` },
              'an answer with secrets needs the header Cache-Control',
              false,
            ),
          ]
        : [];
    }),
  ];

  /** In the documents a reference leads to a file, in the model to a title. */
  function isSecret(schema: RestSchema | undefined): boolean {
    if (!schema) return false;
    const title = schema.$ref?.replace(/^.*\//, '').replace(/\.yaml$/, '');
    const target: RestSchema | undefined = title === undefined ? schema : whole.schemas.get(title);
    return target !== undefined && (resolve(target, whole.schemas) as RestSchema)['x-secret'] === true;
  }
};
