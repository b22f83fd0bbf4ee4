import { Page } from '../../parts/page.tsx';
import { KeyList } from './key-list.tsx';
import { TokenList } from './token-list.tsx';
import './keys-page.css';

/** API keys and access tokens of the account. */
export function KeysPage() {
  return (
    <Page
      title="Keys and tokens"
      lead="A key opens the ledger of a network. A token opens the wallet and account services."
    >
      <KeyList />
      <TokenList />
    </Page>
  );
}
