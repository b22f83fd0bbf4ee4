import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Param } from '../../model/method.ts';
import { resolve, type Schema, type Schemas } from '../../model/schema.ts';
import { HEADER, literal, memberName } from '../../text.ts';

/** ledger/members.ts: the members of each param that is an object, for code that refuses others. */
export const renderMembers = ({ methods, schemas }: LedgerModel): Files => {
  const entries = methods.flatMap(({ name, params }) => {
    const known = params.flatMap((param, position) => objectAt(param, position, schemas));
    return known.length === 0 ? [] : [`${memberName(name)}: ${literal(known)},\n`];
  });
  return {
    'ledger/members.ts': `${HEADER}import type { MethodName } from './methods.ts';

/** A param that is an object. \`isOneOf\`: it has one of the members, no more. */
export type ParamMembers = {
  readonly position: number;
  readonly name: string;
  readonly members: readonly string[];
  readonly isOneOf: boolean;
};

/** The params of each method that are objects with members of their own. */
export const PARAM_MEMBERS: Readonly<Partial<Record<MethodName, readonly ParamMembers[]>>> = {
${entries.join('')}};
`,
  };
};

const objectAt = ({ name, schema }: Param, position: number, schemas: Schemas): readonly object[] => {
  const resolved = resolve(schema, schemas);
  const branches = (resolved.anyOf ?? [resolved]).map((branch) => resolve(branch, schemas));
  if (!branches.every(isObject)) return [];
  const members = branches.flatMap(({ properties = {} }) => Object.keys(properties));
  return [{ position, name, members: [...new Set(members)], isOneOf: resolved.anyOf !== undefined }];
};

const isObject = ({ type, properties }: Schema): boolean => type === 'object' && properties !== undefined;
