import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { readForm } from './read-form.ts';

type SearchFormProps = {
  readonly label: string;
  readonly maxLength: number;
  /** Called with the text when the form is sent, and with nothing when it is cleared. */
  readonly onSearch: (text: string) => void;
};

/** A search field, sent with Enter or the button; an empty text shows everything again. */
export function SearchForm({ label, maxLength, onSearch }: SearchFormProps) {
  return (
    <search>
      <form
        className="search-form"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(readForm(event.currentTarget, 'search').trim());
        }}
      >
        <Field name="search" type="search" label={label} maxLength={maxLength} autoComplete="off" />
        <Button type="submit">Search</Button>
      </form>
    </search>
  );
}
