import { printJson } from '../../json.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Callable } from '../../model/method.ts';
import { errorNamesOf, limitsOf, type ParamPart, paramParts } from '../../model/param-parts.ts';
import type { Schema } from '../../model/schema.ts';
import { typeOf } from './type-of.ts';

/** A param or a known member of one, with its limits and its default in words. */
export type ParamRow = Pick<ParamPart, 'name' | 'schema' | 'optional' | 'hops'> & { readonly text: string };

/** Every param of a method and its known members, each once. */
export const paramRows = (method: Callable, model: LedgerModel): readonly ParamRow[] => {
  const limits = limitsOf(method, model);
  return paramParts(method, model)
    .filter(
      ({ name, inUnion, hops }, index, all) =>
        all.findIndex((part) => part.name === name) === index && (!inUnion || hops.length > 0),
    )
    .map(({ name, schema, optional, index, hops }) => {
      const own = hops.length === 0 ? method.params[index]?.description : undefined;
      const text = [
        own ?? schema.description ?? '',
        ...limits
          .filter((limit) => limit.name === name)
          .map((limit) => `Limit: ${limit.text} (${limit.error}).`),
        sinceText(schema),
      ];
      const fallback = schema.default === undefined ? '' : ` Default: \`${printJson(schema.default)}\`.`;
      return { name, schema, optional, hops, text: text.join(' ').trim() + fallback };
    });
};

/** The params of a method as a Markdown table. */
export const paramTable = (
  method: Callable,
  model: LedgerModel,
  nameType: (title: string) => string,
): string => {
  const rows = paramRows(method, model).map(
    ({ name, schema, optional, text }) =>
      `| \`${name}\` | ${cell(brief(schema, nameType))} | ${optional ? '' : 'yes'} | ${cell(text)} |\n`,
  );
  return rows.length === 0 ? 'None.\n' : `| param | type | required | |\n|---|---|---|---|\n${rows.join('')}`;
};

/** The first node version that knows a part, or enforces a limit of it. */
const sinceText = ({ 'x-since': since, 'x-fallback': fallback }: Schema): string => {
  if (since === undefined) return '';
  if (typeof since === 'object') return `Nodes enforce it since Agave ${Object.values(since).join(', ')}.`;
  const older = fallback === undefined ? '' : '; for older nodes the gateway does it';
  return `Since Agave ${since}${older}.`;
};

/** The specific errors of a method, as a Markdown table. */
export const errorTable = (method: Callable, model: LedgerModel): string => {
  const names = errorNamesOf(method, model);
  if (names.length === 0) return 'Those of params only.\n';
  const rows = names.map((name) => {
    const error = model.errors.get(name);
    return `| \`${name}\` | ${error?.jsonrpc.code} | \`${cell(error?.jsonrpc.message ?? '')}\` | ${cell(error?.summary ?? '')} |\n`;
  });
  return `| name | code | message | |\n|---|---|---|---|\n${rows.join('')}`;
};

/** The text of a table cell. */
export const cell = (text: string): string => text.trim().replaceAll('\n', ' ').replaceAll('|', '\\|');

/** A type in a few words: the name of a titled one, or the type as code. */
export const brief = (schema: Schema, nameType: (title: string) => string): string => {
  if (schema.type === 'integer') return schema['x-int'] ?? 'integer';
  if (schema.title !== undefined && (schema.type === 'object' || schema.anyOf)) return nameType(schema.title);
  return `\`${typeOf(schema, 'param', (title) => title)}\``;
};
