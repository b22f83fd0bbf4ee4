import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

// Parses the document of its input as any client would, with the official tool and its defaults, in a process of its own, whose memory is bounded.
type Parse = (document: unknown) => Promise<{ readonly methods: readonly unknown[] }>;
const { parseOpenRPCDocument } = createRequire(import.meta.url)('@open-rpc/schema-utils-js') as {
  parseOpenRPCDocument: Parse;
};
const document = await parseOpenRPCDocument(JSON.parse(await text(process.stdin)));
process.stdout.write(
  JSON.stringify({
    methods: document.methods.length,
    references: JSON.stringify(document.methods[0]).includes('$ref'),
  }),
);
