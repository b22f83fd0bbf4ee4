import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Snippet } from '../../parts/snippet.tsx';

type WebhookSecretProps = {
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
};

const RECEIVER = `import { createServer } from 'node:http';
import { parseWebhook } from '@keyslot/client/account';

createServer(async (request, response) => {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const { headers } = request;
  const event = await parseWebhook({ body, headers, secret: process.env.WEBHOOK_SECRET });
  console.log(event.type, event.data);
  response.end();
}).listen(3000);`;

/** Shows the secret of a webhook, once, and a receiver that checks events with it. */
export function WebhookSecret({ name, secret, onClose }: WebhookSecretProps) {
  return (
    <Dialog title={`The secret of ${name}`} onClose={onClose} isSticky>
      <Secret text={secret} label="Copy the secret" kept="it sealed" />
      <p>
        A receiver for Node, with the secret in WEBHOOK_SECRET. Every Standard Webhooks library reads it too.
      </p>
      <Snippet code={RECEIVER} label="Copy the receiver" />
      <div className="actions">
        <Button type="button" kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
