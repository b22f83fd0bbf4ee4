import { PLACEHOLDERS, printed, type SnippetCall } from '../../../runtime/call-snippets.ts';
import type { Files } from '../../area.ts';
import { snakeCase, statusOf } from '../../model/errors.ts';
import type { Operation } from '../../model/rest/operation.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import type { RestSchema } from '../../model/rest/schema.ts';
import { refTitle, resolve } from '../../model/schema.ts';
import { limits, memberRows, operationFacts, rulesOf } from '../rest/docs.ts';
import { headersOf } from '../rest/document.ts';
import { type Content, type Html, html, prose } from './html.ts';
import {
  callPage,
  type CallPanel,
  callPanel,
  errorList,
  exampleBlock,
  type Group,
  jsonField,
  navigation,
  part,
  type Row,
  rowList,
  runButton,
  sectionPage,
  textField,
} from './parts.ts';

/** reference/: the section of a service over REST, and a page per operation. */
export const renderRestReference = (model: RestModel): Files => {
  const section = model.service.folder;
  const groups = groupsOf(model);
  return {
    [`reference/navigation/${section}.html`]: navigation(section, groups),
    [`reference/pages/${section}.html`]: sectionPage(section, {
      lead: String(model.head.info.description),
      about: undefined,
      groups,
      more: accessTables(model),
    }),
    ...Object.fromEntries(
      model.operations.map((operation) => [
        `reference/pages/${section}/${operation.id}.html`,
        operationPage(operation, model),
      ]),
    ),
  };
};

const groupsOf = ({ head, operations }: RestModel): readonly Group[] =>
  head.tags
    .map(({ name, 'x-tag': tag }) => ({
      title: name,
      entries: operations
        .filter((operation) => operation.tag === tag)
        .map(({ id, summary, method, path }) => ({
          name: id,
          summary,
          words: `${method.toUpperCase()} ${path} ${name}`,
        })),
    }))
    .filter(({ entries }) => entries.length > 0);

const accessTables = ({ head }: RestModel): Content => [
  html`<section class="panel"><h2 id="scopes">Scopes of an access token</h2>${rowList(
    Object.entries(head['x-scopes']).map(([name, text]) => plainRow(name, text)),
  )}</section>`,
  head['x-roles'] === undefined
    ? undefined
    : html`<section class="panel"><h2 id="roles">Roles of members</h2>${rowList(
        Object.entries(head['x-roles']).map(([name, { description, scopes }]) =>
          plainRow(name, `${description} ${scopes.map((scope) => `\`${scope}\``).join(', ')}`),
        ),
      )}</section>`,
];

const plainRow = (name: string, text: string): Row => ({
  name,
  type: html``,
  isRequired: false,
  text,
  depth: 0,
});

const operationPage = (operation: Operation, model: RestModel): string => {
  const { id, method, path, summary, description, success, errors, query, body } = operation;
  const group = model.head.tags.find(({ 'x-tag': tag }) => tag === operation.tag)?.name ?? operation.tag;
  const headers = headersOf(operation).map((name): Row => {
    const header = model.head.components.parameters[name];
    return {
      name,
      type: prose(header ? limits(header.schema) : ''),
      isRequired: false,
      text: header?.description ?? '',
      depth: 0,
    };
  });
  const rules = body ? rulesOf(resolve(body.schema, model.schemas)) : [];
  return callPage({
    section: model.service.folder,
    group,
    title: id,
    address: html`<p class="call-address"><span class="verb verb-${method}">${method.toUpperCase()}</span> <code>${path}</code></p>`,
    lead: `${summary} ${description}`,
    facts: operationFacts(operation),
    text: [
      operation.idSchema ? part('path', 'Path', rowList([idRow(operation.idSchema, model)])) : undefined,
      query ? part('query', 'Query', rowList(rowsOf(query, model))) : undefined,
      headers.length > 0 ? part('headers', 'Headers', rowList(headers)) : undefined,
      body
        ? part('body', 'Body', [
            rowList(rowsOf(body.schema, model)),
            rules.length > 0
              ? html`<ul class="rules">${rules.map((rule) => html`<li>${prose(rule)}</li>`)}</ul>`
              : undefined,
          ])
        : undefined,
      part('answer-type', 'Answer', [
        html`<p><span class="badge badge-good">${success.status}</span> ${prose(success.description)}</p>`,
        html`<ul class="rules">${success.content.map(
          ({ media, schema, itemSchema }) =>
            html`<li><code>${media}</code> ${itemSchema ? 'a stream, each line a ' : ''}${typeOf(schema ?? itemSchema ?? {}, model)}</li>`,
        )}</ul>`,
        html`<p class="muted">Headers: ${prose(success.headers.map((name) => `\`${name}\``).join(', '))}.</p>`,
      ]),
      part(
        'errors',
        'Errors',
        errorList(
          errors.map(({ error }) => ({
            name: error.name,
            code: statusOf(error),
            message: snakeCase(error.name),
            meaning: error.summary,
          })),
        ),
      ),
    ],
    side: panelOf(operation, model),
    more: typesOf(operation, model),
  });
};

const idRow = (schema: RestSchema, model: RestModel): Row => {
  const resolved: RestSchema = resolve(schema, model.schemas);
  return {
    name: 'id',
    type: prose(limits(resolved)),
    isRequired: true,
    text: resolved.description ?? '',
    depth: 0,
  };
};

const rowsOf = (schema: RestSchema, model: RestModel): readonly Row[] =>
  memberRows(schema, model).map(({ name, required, text, schema: member }) => ({
    name,
    type: typeOf(member, model),
    isRequired: required,
    text,
    depth: name.split('.').length - 1,
  }));

/** A type in a few words; an object with a title leads to its members. */
const typeOf = (written: RestSchema, model: RestModel): Html => {
  const schema: RestSchema = resolve(written, model.schemas);
  if (written.$ref !== undefined && isListed(schema)) {
    const title = refTitle(written.$ref);
    return html`<a href="#type-${title}">${title}</a>`;
  }
  if (schema.type === 'array' && schema.items) return html`array of ${typeOf(schema.items, model)}`;
  return prose(limits(schema));
};

const isListed = (schema: RestSchema): boolean =>
  schema.anyOf !== undefined || (schema.type === 'object' && schema.properties !== undefined);

/** The types that the rows of a page lead to, and those that these lead to in turn. */
const typesOf = ({ query, body, success }: Operation, model: RestModel): Content => {
  const reached = new Map<string, RestSchema>();
  const visit = (written: RestSchema): void => {
    const schema: RestSchema = resolve(written, model.schemas);
    const title = written.$ref === undefined ? undefined : refTitle(written.$ref);
    if (title !== undefined && reached.has(title)) return;
    if (title !== undefined && isListed(schema)) reached.set(title, schema);
    visitBelow(schema);
  };
  const visitBelow = ({ properties = {}, items, anyOf = [] }: RestSchema): void => {
    for (const child of [...Object.values(properties), ...(items ? [items] : []), ...anyOf]) visit(child);
  };
  // The members of the query and of the body have their own lists.
  for (const listed of [query, body?.schema]) if (listed) visitBelow(resolve(listed, model.schemas));
  for (const { schema, itemSchema } of success.content) visit(schema ?? itemSchema ?? {});
  if (reached.size === 0) return undefined;
  return part(
    'types',
    'Types',
    [...reached].map(
      ([title, schema]) =>
        html`<section class="type" id="type-${title}"><h3><code>${title}</code></h3>${
          schema.anyOf
            ? html`<p>${schema.anyOf.map((form, index) => html`${index === 0 ? '' : ' or '}${typeOf(form, model)}`)}</p>`
            : rowList(rowsOf(schema, model))
        }</section>`,
    ),
  );
};

const credentialOf = ({ auth }: Operation): CallPanel['credential'] =>
  auth.length === 0 ? 'none' : auth.includes('token') ? 'access-token' : 'session';

const panelOf = (operation: Operation, model: RestModel): Html => {
  const { id, method, path, body, success, idSchema } = operation;
  const credential = credentialOf(operation);
  const [first] = body?.examples ?? [];
  const exampleId = idSchema && exampleText(resolve(idSchema, model.schemas));
  const headers: Readonly<Record<string, string>> = {
    ...(credential === 'access-token' && { authorization: `Bearer ${PLACEHOLDERS.token}` }),
    ...(first && { 'content-type': 'application/json' }),
  };
  const snippet: SnippetCall = {
    kind: 'operation',
    url: PLACEHOLDERS.url + path.replace('{id}', exampleId ?? '{id}'),
    verb: method.toUpperCase(),
    headers,
    body: first?.value,
  };
  return callPanel({
    kind: 'operation',
    name: id,
    snippet,
    examples: body
      ? body.examples.map(({ name, summary, value }) => ({
          name: summary,
          request: printed(value),
          answers: answersOf(name, success),
        }))
      : [{ name: id, request: '', answers: answersOf(undefined, success) }],
    fields: [
      idSchema && textField('path-id', html`<code>id</code>`, { value: exampleId ?? '', data: html`` }),
      optionalFields(operation, model),
      success.content.length > 1
        ? html`<div class="field"><label for="accept">Answer as</label><select id="accept">${success.content.map(
            ({ media }) => html`<option>${media}</option>`,
          )}</select></div>`
        : undefined,
      first && jsonField('Body', printed(first.value)),
      runButton('Run'),
    ],
    data: { verb: method.toUpperCase(), path },
    credential,
  });
};

/** The fields that a call rarely needs, folded. */
const optionalFields = (operation: Operation, model: RestModel): Content => {
  const queries = operation.query ? memberRows(operation.query, model).map(({ name }) => name) : [];
  const headers = headersOf(operation);
  if (queries.length + headers.length === 0) return undefined;
  return html`<details class="optional"><summary>${queries.length > 0 ? 'Query' : 'Headers'}${
    queries.length > 0 && headers.length > 0 ? ' and headers' : undefined
  }</summary>${queries.map((name) => optionalField('query', name))}${headers.map((name) => optionalField('header', name))}</details>`;
};

const optionalField = (place: 'query' | 'header', name: string): Html =>
  textField(
    `${place}-${name}`,
    html`<code>${name}</code> <span class="muted">${place === 'query' ? 'in the query' : 'header'}</span>`,
    {
      data: html` data-${place}="${name}"`,
    },
  );

/** The answers to an example: its own, in each form; without a name the first of each form. */
const answersOf = (
  name: string | undefined,
  { status, content }: Operation['success'],
): readonly Content[] => {
  const shown = content.flatMap(({ media, examples }) => {
    const value = name === undefined ? Object.values(examples)[0] : examples[name];
    return value === undefined
      ? []
      : [{ media, text: typeof value === 'string' ? value.replaceAll('\r\n', '\n') : printed(value) }];
  });
  return shown.map(({ media, text }) =>
    exampleBlock(html`Answer <span class="muted">${status}, ${media}</span>`, text),
  );
};

const exampleText = (schema: RestSchema): string | undefined => {
  const [example] = schema.examples ?? [];
  return example === undefined ? undefined : String(example);
};
