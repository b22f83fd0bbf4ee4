import { isDeepStrictEqual } from 'node:util';
import { fileTitle, SUBSCRIPTIONS_FILE } from '../../model/ledger.ts';
import type { Problem } from '../../problem.ts';
import { finding, type Rule } from './rule.ts';

/** A file is named after its content; a name is used once; a title means one schema; the names of params differ. */
export const checkNames: Rule = ({ methods, subscriptions, common, calls, schemas, parts }) => [
  ...subscriptions
    .filter(({ file, subscription }) => fileTitle(file) !== subscription.name)
    .map(({ file, subscription }) =>
      finding(
        'names',
        { file, pointer: '/name' },
        `the file of subscription ${subscription.name} must be ${subscription.name}.yaml`,
      ),
    ),
  ...takenNames([
    ...methods.map(({ file, method }) => ({ file, pointer: '/name', name: method.name })),
    { file: SUBSCRIPTIONS_FILE, pointer: '/gap/name', name: common.gap.name },
    ...subscriptions.flatMap(({ file, subscription: { name, unsubscribe, notification } }) => [
      { file, pointer: '/name', name },
      { file, pointer: '/unsubscribe', name: unsubscribe },
      { file, pointer: '/notification/name', name: notification.name },
    ]),
  ]),
  ...methods
    .filter(({ file, method }) => fileTitle(file) !== method.name)
    .map(({ file, method }) =>
      finding(
        'names',
        { file, pointer: '/name' },
        `the file of method ${method.name} must be ${method.name}.yaml`,
      ),
    ),
  ...[...schemas]
    .filter(([title, { schema }]) => schema.title !== title)
    .map(([title, { file }]) =>
      finding('names', { file, pointer: '/title' }, `the title must be ${title}, as the file is called`),
    ),
  ...parts.flatMap((part) => {
    const first = parts.find(({ schema }) => schema.title === part.schema.title);
    if (
      part.schema.title === undefined ||
      part.schema.$ref !== undefined ||
      !first ||
      isDeepStrictEqual(first.schema, part.schema)
    )
      return [];
    return [
      finding(
        'names',
        part,
        `title ${part.schema.title} already names another schema, at ${first.file}#${first.pointer}`,
      ),
    ];
  }),
  ...calls.flatMap(({ file, pointer, call }) => {
    const names = (call.params ?? []).map(({ name }) => name);
    return names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) =>
        finding('names', { file, pointer: `${pointer}/params` }, `two params are called ${name}`),
      );
  }),
];

type Named = { readonly file: string; readonly pointer: string; readonly name: string };

/** A name has one meaning on each wire. */
const takenNames = (names: readonly Named[]): readonly Problem[] =>
  names.flatMap((entry) => {
    const first = names.find(({ name }) => name === entry.name);
    return first && first !== entry
      ? [finding('names', entry, `${entry.name} is taken by ${first.file}#${first.pointer}`)]
      : [];
  });
