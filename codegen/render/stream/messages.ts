import type { Files } from '../../area.ts';
import type { StreamModel } from '../../model/stream/stream.ts';
import { HEADER, quote } from '../../text.ts';

const SERVICE_MODULE = 'keyslot/stream/v1/stream.ts';

/**
 * stream/service.ts and stream/topics/<topic>.ts: the messages and the service, by ts-proto. stream/sources.ts: the original .proto files.
 * stream/descriptors.ts: the same compiled, for reflection.
 */
export const renderMessages = ({ compiled, topics, source }: StreamModel): Files => ({
  ...Object.fromEntries(
    Object.entries(compiled.modules).map(([path, text]) => [
      path === SERVICE_MODULE ? 'stream/service.ts' : `stream/${path}`,
      HEADER + withoutHead(text),
    ]),
  ),
  'stream/sources.ts': `${HEADER}
/** The .proto file of the service. */
export const STREAM_SOURCE = ${quote(source)};

/** The .proto file of each topic, which imports nothing. */
export const TOPIC_SOURCES = {
${topics.map((topic) => `${quote(topic.name)}: ${quote(topic.source)},\n`).join('')}} as const;
`,
  'stream/descriptors.ts': `${HEADER}
/** The service and every topic as a FileDescriptorSet (google/protobuf/descriptor.proto), base64. */
export const DESCRIPTOR_SET = ${quote(compiled.descriptorSet)};
`,
});

/** The comment that names the tool that made it, and its options. */
const withoutHead = (text: string): string => text.replace(/^(\/\/.*\n|\/\* eslint-disable \*\/\n|\n)*/, '');
