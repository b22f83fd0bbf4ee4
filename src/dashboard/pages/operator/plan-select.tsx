import { useQuery } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { Select } from '../../parts/field.tsx';
import { formatCount } from '../../parts/format-number.ts';
import { PLANS_KEY } from './keys.ts';

type PlanSelectProps = {
  /** The initial plan. Absent: the default plan of the server. */
  readonly chosen?: string;
};

/** A choice of the server's plans; its field is named `plan`. */
export function PlanSelect({ chosen }: PlanSelectProps) {
  const { data } = useQuery({
    queryKey: PLANS_KEY,
    queryFn: async ({ signal }) => (await account.listPlans({ signal })).plans,
  });
  const plans = data ?? [];
  const first = chosen ?? plans.find(({ is_default }) => is_default)?.name;
  return (
    <Select
      key={first}
      name="plan"
      label="Plan"
      hint="It limits each API key of the account."
      defaultValue={first}
      required
      options={plans.map(({ name, requests_per_second, burst }) => ({
        value: name,
        text: `${name}: ${formatCount(requests_per_second)} a second, ${formatCount(burst)} at once`,
      }))}
    />
  );
}
