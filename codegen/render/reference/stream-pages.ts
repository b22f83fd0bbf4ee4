import { PLACEHOLDERS, printed } from '../../../runtime/call-snippets.ts';
import type { Files } from '../../area.ts';
import { exampleOf, type StreamModel, type Topic, type TopicField } from '../../model/stream/stream.ts';
import { html } from './html.ts';
import {
  callPage,
  callPanel,
  codeBlock,
  errorList,
  exampleBlock,
  type Group,
  navigation,
  part,
  type Row,
  rowList,
  sectionPage,
} from './parts.ts';

const GROUP = 'Topics';

/** reference/: the section of the topic streams, and a page per topic. */
export const renderStreamReference = (model: StreamModel): Files => {
  const groups: readonly Group[] = [
    {
      title: GROUP,
      entries: model.topics.map(({ name, description, messageType }) => ({
        name,
        summary: description,
        words: `gRPC ${messageType}`,
      })),
    },
  ];
  return {
    'reference/navigation/streams.html': navigation('streams', groups),
    'reference/pages/streams.html': sectionPage('streams', {
      lead: 'Ledger activity as messages of named topics over gRPC: `keyslot.stream.v1.StreamService`. A stream that breaks is resumed at a slot.',
      about: html`<p>For programs: <a href="./stream.proto">stream.proto</a>. Reflection and health need no key.</p>`,
      groups,
      more: html`<section class="panel"><h2 id="errors">Errors</h2><p class="muted">The trailing metadata <code>keyslot-error</code> has the stable name.</p>${errorsOf(model)}</section>`,
    }),
    ...Object.fromEntries(
      model.topics.map((topic) => [`reference/pages/streams/${topic.name}.html`, topicPage(topic, model)]),
    ),
  };
};

const topicPage = (topic: Topic, model: StreamModel): string => {
  const { name, messageType, description, scope, fields, source } = topic;
  const metadata = {
    'x-api-key': PLACEHOLDERS.apiKey,
    ...(scope !== undefined && { authorization: `Bearer ${PLACEHOLDERS.token}` }),
  };
  return callPage({
    section: 'streams',
    group: GROUP,
    title: name,
    lead: description,
    facts: [
      `Message \`${messageType}\`.`,
      ...(scope === undefined
        ? []
        : [`Needs an access token with the scope \`${scope}\` in the metadata \`authorization\`.`]),
    ],
    text: [
      part('fields', 'Fields', rowList(rowsOf(fields, ''))),
      part('source', 'As .proto', codeBlock(source.trim())),
      part('errors', 'Errors', errorsOf(model)),
    ],
    side: callPanel({
      kind: 'topic',
      name,
      snippet: {
        kind: 'topic',
        url: PLACEHOLDERS.grpcUrl,
        protoUrl: `${PLACEHOLDERS.url}/stream.proto`,
        topic: name,
        metadata,
      },
      examples: [{ name, request: '', answers: [exampleBlock('Message', printed(exampleOf(fields)))] }],
      fields: html`<p class="field-hint">A browser cannot open this stream: gRPC needs trailers of HTTP/2, which browsers give to no page. Run the command in a terminal. Live in this page: <a href="./docs/ledger/slotSubscribe"><code>slotSubscribe</code></a>, <a href="./docs/ledger/logsSubscribe"><code>logsSubscribe</code></a> and the other subscriptions.</p>`,
      data: {},
      credential: scope === undefined ? 'api-key' : 'key-and-token',
    }),
  });
};

const rowsOf = (fields: readonly TopicField[], prefix: string, depth = 0): readonly Row[] =>
  fields.flatMap(({ name, number, type, isRepeated, isOptional, description, message }) => [
    {
      name: `${prefix}${name}`,
      type: html`${isRepeated ? 'repeated ' : isOptional ? 'optional ' : ''}${type} <span class="muted">= ${number}</span>`,
      isRequired: false,
      text: description,
      depth,
    },
    ...(message === undefined ? [] : rowsOf(message, `${prefix}${name}.`, depth + 1)),
  ]);

const errorsOf = ({ errors }: StreamModel) =>
  errorList(
    [...errors]
      .sort((a, b) => (a.grpc.status < b.grpc.status ? -1 : a.grpc.status > b.grpc.status ? 1 : 0))
      .map(({ name, summary, grpc }) => ({ name, code: grpc.status, meaning: summary })),
  );
