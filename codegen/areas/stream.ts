import { createArea } from '../area.ts';
import { lintStream } from '../lint/stream/index.ts';
import { PUBLISHED_FILE, readStream, STREAM_FILE, TOPICS_FOLDER } from '../model/stream/stream.ts';
import { renderStreamClient } from '../render/stream/client.ts';
import { renderStreamDocs } from '../render/stream/docs.ts';
import { renderStreamExamples } from '../render/stream/examples.ts';
import { renderTopicHandlers, renderTopicRegister } from '../render/stream/handlers.ts';
import { renderMessages } from '../render/stream/messages.ts';
import { renderStreamReference } from '../render/reference/stream-pages.ts';
import { renderTopics } from '../render/stream/topics.ts';
import { parseYaml } from '../yaml.ts';

/** Topics over gRPC. The text of a .proto file is its document. */
export const streamArea = createArea({
  name: 'stream',
  reads: [
    ...[STREAM_FILE, `${TOPICS_FOLDER}*.proto`].map((path) => ({ path, parse: (text: string) => text })),
    { path: PUBLISHED_FILE, parse: parseYaml },
  ],
  lint: lintStream,
  model: readStream,
  renderers: [
    renderMessages,
    renderTopics,
    renderTopicHandlers,
    renderTopicRegister,
    renderStreamExamples,
    renderStreamClient,
    renderStreamDocs,
    renderStreamReference,
  ],
});
