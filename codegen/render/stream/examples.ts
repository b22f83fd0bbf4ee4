import type { Files } from '../../area.ts';
import { exampleOf, type StreamModel } from '../../model/stream/stream.ts';
import { HEADER, literal, quote } from '../../text.ts';

/** stream/examples.ts: a message of each topic, for the mock and for documents. */
export const renderStreamExamples = ({ topics }: StreamModel): Files => ({
  'stream/examples.ts': `${HEADER}import type { TopicName } from './topics.ts';

/** A message of each topic as proto3 JSON. */
export const TOPIC_EXAMPLES: Readonly<Record<TopicName, unknown>> = {
${topics.map((topic) => `${quote(topic.name)}: ${literal(exampleOf(topic.fields))},\n`).join('')}};
`,
});
