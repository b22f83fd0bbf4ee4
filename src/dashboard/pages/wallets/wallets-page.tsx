import { useParams, useLocation, useSearchParams } from 'wouter';
import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { NotFoundPage } from '../not-found-page.tsx';
import { WalletPage, WALLET_COLUMNS } from './wallet-page.tsx';
import './wallets-page.css';
import { wallets } from '../../calls/credentials.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Page } from '../../parts/page.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useScopes } from '../../session/session.tsx';
import { BatchDialog } from './batch/batch-dialog.tsx';
import { searchOf } from './search-of.ts';
import { SERVER_ADDRESS, referenceOf } from '../../calls/places.ts';
import { Snippet } from '../../parts/snippet.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { CostNote } from './cost-note.tsx';

/** Managed wallets of the account, and each of them. */
export function WalletsPage() {
  const { id, view } = useParams();
  if (id === undefined) return <WalletsListPage />;
  if (view !== undefined && view !== 'transactions' && view !== 'children') return <NotFoundPage />;
  return <WalletPage key={id} walletId={id} view={view} />;
}

/** The list of managed wallets, searched by label or address. */
function WalletsListPage() {
  const [shown, setShown] = useState<'create' | 'batch'>();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const mayCreate = useScopes('wallets:create');
  const search = params.get('search') ?? '';
  const close = () => setShown(undefined);
  return (
    <Page
      title="Wallets"
      lead="The server keeps the keys of managed wallets and signs with them."
      actions={
        mayCreate && (
          <>
            <Button type="button" onClick={() => setShown('batch')}>
              Create a batch
            </Button>
            <Button type="button" kind="primary" onClick={() => setShown('create')}>
              Create a wallet
            </Button>
          </>
        )
      }
    >
      <section className="panel" aria-label="Managed wallets">
        <search>
          <form
            key={search}
            className="search-row"
            onSubmit={(event) => {
              event.preventDefault();
              const text = readForm(event.currentTarget, 'search').trim();
              setParams(text === '' ? {} : { search: text });
            }}
          >
            <Field
              name="search"
              label="Search by label or address"
              defaultValue={search}
              type="search"
              maxLength={100}
              autoComplete="off"
              spellCheck={false}
            />
            <Button type="submit">Search</Button>
            {search !== '' && (
              <Button type="button" kind="quiet" onClick={() => setParams({})}>
                Show all
              </Button>
            )}
          </form>
        </search>
        <ListPage
          caption="Managed wallets"
          queryKey={['wallets', searchOf(search)]}
          read={async (query, signal) =>
            (await wallets()).listWallets({ ...query, ...searchOf(search) }, { signal })
          }
          rowsOf={(page) => page.wallets}
          columns={WALLET_COLUMNS}
          keyOf={({ wallet_id }) => wallet_id}
          operation={['Managed wallets', 'listWallets', 'wallets']}
          empty={
            search === ''
              ? { title: 'No wallets yet', children: <FirstWallet /> }
              : {
                  title: 'No wallet matches',
                  children: <p>Search by a part of a label, or by a complete address.</p>,
                }
          }
        />
      </section>
      {shown === 'create' && (
        <CreateWalletDialog
          onCreated={(walletId) => {
            close();
            navigate(`/wallets/${walletId}`);
          }}
          onClose={close}
        />
      )}
      {shown === 'batch' && <BatchDialog onClose={close} />}
    </Page>
  );
}

const CODE = `curl -sS '${SERVER_ADDRESS}/v1/wallets' \\
  -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"custody":"managed","label":"first wallet"}'`;

/** Shows how a program creates the first wallet. */
function FirstWallet() {
  return (
    <>
      <p>
        Create one here, or from a program, with an access token in <code>ACCESS_TOKEN</code>:
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

type CreateWalletDialogProps = {
  readonly onCreated: (walletId: string) => void;
  readonly onClose: () => void;
};

type Kind = 'single' | 'master';

const KINDS = [
  { value: 'single', text: 'A single wallet' },
  { value: 'master', text: 'An HD master, to derive wallets from' },
];

/** Creates a managed wallet with a label, or an HD master with its first child. */
function CreateWalletDialog({ onCreated, onClose }: CreateWalletDialogProps) {
  const [kind, setKind] = useState<Kind>('single');
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (label: string) => (kind === 'single' ? createSingle(label) : createMaster()),
    onSuccess: (walletId) => {
      void client.invalidateQueries({ queryKey: ['wallets'] });
      onCreated(walletId);
    },
  });
  return (
    <FormDialog
      title="Create a managed wallet"
      action="Create"
      call={create}
      operation={['Create wallets', kind === 'single' ? 'createWallet' : 'createHdWallets', 'wallets']}
      onSubmit={(form) => create.mutate(readForm(form, 'label').trim())}
      onClose={onClose}
    >
      <Select
        label="Kind"
        value={kind}
        options={KINDS}
        onChange={(event) => setKind(event.currentTarget.value === 'master' ? 'master' : 'single')}
      />
      {kind === 'single' && (
        <Field
          name="label"
          label="Label (optional)"
          hint="A name to find it by, such as deposit 4711."
          maxLength={100}
          autoComplete="off"
        />
      )}
      {kind === 'single' ? (
        <CostNote price="wallet_creation" per="The wallet" operation={['Create wallets', 'createWallet']} />
      ) : (
        <CostNote
          price="hd_child_derivation"
          per="The first child, m/44'/501'/0'/0',"
          operation={['Create wallets', 'createHdWallets']}
        />
      )}
    </FormDialog>
  );
}

async function createSingle(label: string): Promise<string> {
  const service = await wallets();
  return managedId(await service.createWallet({ custody: 'managed', ...(label !== '' && { label }) }));
}

async function createMaster(): Promise<string> {
  const service = await wallets();
  const { master } = await service.createHdWallets({ custody: 'managed' });
  return managedId(master);
}

function managedId(wallet: { readonly custody: string; readonly wallet_id?: string }): string {
  if (wallet.wallet_id === undefined) throw new Error('The server created a wallet that it does not keep.');
  return wallet.wallet_id;
}
