import type { Problem } from '../../problem.ts';
import { limitsIn, repeatedIn, statedTwice, type Text } from '../limits.ts';
import { type CallDocument, finding, type LocatedSchema, type Rule } from './rule.ts';

/** A limit is stated once in its file, as a keyword; no text repeats the number, or a default. */
export const checkRepeatedLimits: Rule = (documents) => {
  const byFile = Map.groupBy(documents.parts, ({ file }) => file);
  return [
    ...documents.parts.flatMap((part) => checkDescription(part, byFile.get(part.file) ?? [])),
    ...documents.calls.flatMap((entry) => checkCall(entry, byFile.get(entry.file) ?? [])),
  ];
};

/** The description of a schema, and the limits of it and everything below. */
const checkDescription = (part: LocatedSchema, parts: readonly LocatedSchema[]): readonly Problem[] => {
  const below = parts.filter(({ pointer }) => `${pointer}/`.startsWith(`${part.pointer}/`));
  const { default: value, description = '' } = part.schema;
  const pointer = `${part.pointer}/description`;
  return [
    ...repeatedIn(description, limitsIn(below)).map((limit) => repeated(part.file, pointer, limit)),
    ...(value !== undefined && /\(default\)|\bdefault:/i.test(description)
      ? [finding('limits', { file: part.file, pointer }, 'the text repeats the default', false)]
      : []),
  ];
};

/** The texts of the calls, and all limits in their file. */
const checkCall = (
  { file, pointer: at, call }: CallDocument,
  parts: readonly LocatedSchema[],
): readonly Problem[] => {
  const limits = [
    ...limitsIn(parts),
    ...(call['x-span'] ? [{ value: call['x-span'].maximum, pointer: '/x-span' }] : []),
  ];
  const texts: readonly Text[] = [
    { text: call.summary, pointer: `${at}/summary` },
    { text: call.description, pointer: `${at}/description` },
    { text: call.result?.description, pointer: `${at}/result/description` },
    { text: call.notification?.description, pointer: `${at}/notification/description` },
    ...(call.params ?? []).map(({ description }, index) => ({
      text: description,
      pointer: `${at}/params/${index}/description`,
    })),
  ];
  return [
    ...texts.flatMap(({ text, pointer }) =>
      repeatedIn(text, limits).map((limit) => repeated(file, pointer, limit)),
    ),
    ...statedTwice(limits).map(({ value, pointer, first }) =>
      finding('limits', { file, pointer }, `the limit ${value} is stated at ${first} already`, false),
    ),
  ];
};

const repeated = (file: string, pointer: string, limit: number): Problem =>
  finding('limits', { file, pointer }, `the text repeats the limit ${limit}`, false);
