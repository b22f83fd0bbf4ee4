import { useParams } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { KeyList } from './key-list.tsx';
import { TokenList } from './token-list.tsx';

const TABS = [
  { href: '/keys', title: 'API keys' },
  { href: '/keys/tokens', title: 'Access tokens' },
];

/** API keys and access tokens of the account. */
export function KeysPage() {
  const { list } = useParams();
  if (list !== undefined && list !== 'tokens') return <NotFoundPage />;
  return (
    <Page
      title="Keys and tokens"
      lead="A key opens the ledger of a network. A token opens the wallet and account services."
    >
      <Tabs label="Lists" tabs={TABS} />
      {list === undefined ? <KeyList /> : <TokenList />}
    </Page>
  );
}
