import { useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedPlan } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Count } from '../../../parts/number.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import type { Column } from '../../../parts/table.tsx';
import { WholeList } from '../../../parts/whole-list.tsx';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { useScopes } from '../../../session/session.tsx';
import { OPERATOR_KEY, PLANS_KEY } from '../keys.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';

type Shown = { readonly kind: 'create' } | { readonly kind: 'edit' | 'delete'; readonly plan: ListedPlan };

const LIST_PLANS = ['Operators', 'listPlans'] as const;

/** The plans of the server, with their actions. */
export function PlansPage() {
  const [shown, setShown] = useState<Shown>();
  const mayManage = useScopes('operator:manage');
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const onDone = (): void => {
    close();
    void client.invalidateQueries({ queryKey: OPERATOR_KEY });
  };
  const columns: readonly Column<ListedPlan>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 1.5,
      show: (plan) =>
        mayManage && (
          <>
            <Button
              type="button"
              aria-label={`Edit ${plan.name}`}
              onClick={() => setShown({ kind: 'edit', plan })}
            >
              Edit
            </Button>
            {plan.source === 'store' && (
              <Button
                type="button"
                aria-label={`Delete ${plan.name}`}
                onClick={() => setShown({ kind: 'delete', plan })}
              >
                Delete
              </Button>
            )}
          </>
        ),
    },
  ];
  return (
    <Page
      title="Plans"
      lead="A plan limits each API key of an account; calls count by their weight."
      actions={
        mayManage && (
          <Button type="button" kind="primary" onClick={() => setShown({ kind: 'create' })}>
            Create a plan
          </Button>
        )
      }
    >
      <section className="panel" aria-labelledby="plans">
        <div className="panel-head">
          <h2 id="plans">Plans</h2>
          <ReferenceLink operation={LIST_PLANS} />
        </div>
        <WholeList
          caption="Plans"
          queryKey={PLANS_KEY}
          read={async (signal) => (await account.listPlans({ signal })).plans}
          columns={columns}
          keyOf={({ name }) => name}
          operation={LIST_PLANS}
          empty={{ title: 'No plans' }}
        />
      </section>
      {shown?.kind === 'create' && <PlanDialog onDone={onDone} onClose={close} />}
      {shown?.kind === 'edit' && <PlanDialog plan={shown.plan} onDone={onDone} onClose={close} />}
      {shown?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete the plan ${shown.plan.name}?`}
          description="A built-in plan of the same name applies again. A plan that an account uses cannot be deleted."
          verb="Delete the plan"
          act={() => withFreshFactor(() => account.deletePlan(shown.plan.name))}
          onDone={onDone}
          onClose={close}
        />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<ListedPlan>[] = [
  {
    title: 'Name',
    share: 1.4,
    show: ({ name, is_default }) => (
      <span>
        {name} {is_default && <Badge tone="good">default</Badge>}
      </span>
    ),
  },
  {
    title: 'Weight a second',
    kind: 'number',
    show: ({ requests_per_second }) => <Count value={requests_per_second} />,
  },
  { title: 'At once', kind: 'number', show: ({ burst }) => <Count value={burst} /> },
  { title: 'Accounts', kind: 'number', share: 0.8, show: ({ accounts }) => <Count value={accounts} /> },
  {
    title: 'Set by',
    share: 0.9,
    show: ({ source }) => (source === 'spec' ? 'the server' : 'an operator'),
  },
];

type PlanDialogProps = {
  /** The plan that is changed; absent: a new one. */
  readonly plan?: ListedPlan;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

const MOST = 1_000_000;

/** Creates or changes a plan. */
function PlanDialog({ plan, onDone, onClose }: PlanDialogProps) {
  const withFreshFactor = useFreshCall();
  const put = useMutation({
    mutationFn: (body: Parameters<typeof account.putPlan>[0]) => withFreshFactor(() => account.putPlan(body)),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={plan === undefined ? 'Create a plan' : `Plan ${plan.name}`}
      description="It applies from the next request on, to every account on this plan and in every process of the server."
      action={plan === undefined ? 'Create' : 'Save'}
      call={put}
      operation={['Operators', 'putPlan']}
      onSubmit={(form) =>
        put.mutate({
          name: plan?.name ?? readForm(form, 'name').trim(),
          requests_per_second: Number(readForm(form, 'rate')),
          burst: Number(readForm(form, 'burst')),
        })
      }
      onClose={onClose}
    >
      {plan === undefined && (
        <Field
          name="name"
          label="Name"
          hint="Lower-case letters, digits, _ and -, such as gold."
          pattern="[a-z0-9][a-z0-9_\-]*"
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          required
        />
      )}
      <Field
        name="rate"
        type="number"
        label="Weight a second, on average"
        min={1}
        max={MOST}
        step={1}
        defaultValue={plan?.requests_per_second}
        required
      />
      <Field
        name="burst"
        type="number"
        label="Weight at once"
        hint="At least the weight a second, and the weight of the heaviest call."
        min={1}
        step={1}
        defaultValue={plan?.burst}
        required
      />
    </FormDialog>
  );
}
