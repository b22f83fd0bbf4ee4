import { isDeepStrictEqual } from 'node:util';
import { fileTitle } from '../../model/ledger.ts';
import { finding, type Rule } from './rule.ts';

/** A file is called as its method or schema is; a title means one schema; the names of params differ. */
export const checkNames: Rule = ({ methods, schemas, parts }) => [
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
  ...methods.flatMap(({ file, method }) => {
    const names = (method.params ?? []).map(({ name }) => name);
    return names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => finding('names', { file, pointer: '/params' }, `two params are called ${name}`));
  }),
];
