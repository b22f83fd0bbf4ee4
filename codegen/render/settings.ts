import type { SettingSchema } from '../model/process.ts';
import type { Schema } from '../model/schema.ts';
import { docComment, literal, memberName } from '../text.ts';
import { compileModule, partRef } from '../validators/compile.ts';
import type { Prepared } from '../../runtime/value-keywords.ts';

/** A module with a function of this name that checks settings, fills in the defaults and keeps every problem. */
export const settingsValidator = (schema: SettingSchema, name: string): string => {
  const parts: Record<string, Prepared> = {};
  const options = { allErrors: true, messages: true, useDefaults: true, parts };
  const code = compileModule(prepareConfig(schema, '', parts), '../runtime', options);
  return code.replace('const validate =', `const ${name} =`);
};

/** The TypeScript type of settings. A required member, or one with a default, is not optional. */
export const settingsType = (schema: Schema): string => {
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.type === 'array') return `readonly (${schema.items ? settingsType(schema.items) : 'unknown'})[]`;
  if (schema.type !== 'object') return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown');
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const there = schema.required?.includes(name) || member.default !== undefined;
    return `${docComment(member.description)}readonly ${memberName(name)}${there ? '' : '?'}: ${settingsType(member)};\n`;
  });
  return `{\n${members.join('')}}`;
};

const KEPT = [
  'type',
  'enum',
  'required',
  'additionalProperties',
  'default',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
] as const;

/**
 * The input of the compilation; every inner object becomes a separate part, so that a new setting changes only the validator of its own
 * section.
 */
const prepareConfig = (schema: SettingSchema, name: string, parts: Record<string, Prepared>): Prepared => {
  const kept = Object.fromEntries(
    KEPT.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
  );
  const prepareInner = (child: SettingSchema, step: string): Prepared => {
    const own = name + step.charAt(0).toUpperCase() + step.slice(1);
    const prepared = prepareConfig(child, own, parts);
    if (child.type !== 'object') return prepared;
    const { default: fallback, ...part } = prepared;
    parts[own] = part;
    return { $ref: partRef(own), ...(fallback !== undefined && { default: fallback }) };
  };
  return {
    ...kept,
    ...(schema.type === 'integer' && { type: undefined, 'x-int': schema['x-int'] }),
    ...(schema.minimum !== undefined && { 'x-minimum': schema.minimum }),
    ...(schema.maximum !== undefined && { 'x-maximum': schema.maximum }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([step, member]) => [step, prepareInner(member, step)]),
      ),
    }),
    ...(schema.items && { items: prepareInner(schema.items, 'item') }),
  };
};
