import { SERVER_ADDRESS, referenceOf } from '../../calls/places.ts';
import { Snippet } from '../../parts/snippet.tsx';

const CODE = `curl -sS '${SERVER_ADDRESS}/v1/wallets' \\
  -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"custody":"managed","label":"first wallet"}'`;

/** How a program creates the first wallet. */
export function FirstWallet() {
  return (
    <>
      <p>
        Create one here, or from a program with an access token in <code>ACCESS_TOKEN</code>:
      </p>
      <div className="first-wallet">
        <Snippet code={CODE} label="Copy the command" />
      </div>
      <p>
        <a href={referenceOf('Create wallets', 'createWallet', 'wallets')}>Reference of createWallet</a>
      </p>
    </>
  );
}
