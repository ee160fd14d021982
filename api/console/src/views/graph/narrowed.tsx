// Search text and type, stored in the address.
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { queryValue, setQuery } from "../../state/route";

export function Narrowed() {
  const words = t.value.graph;
  return (
    <div class="graph-narrow">
      <div class="search-field">
        <Icon name="search" />
        <input
          type="search"
          class="input"
          aria-label={words.search}
          placeholder={words.placeholder}
          maxLength={64}
          value={queryValue("q")}
          onInput={(event) => setQuery("q", event.currentTarget.value)}
        />
      </div>
      <select class="input" aria-label={words.type} value={queryValue("type")} onChange={(event) => setQuery("type", event.currentTarget.value)}>
        <option value="">{words.anyType}</option>
        {Object.entries(t.value.words.entityType).map(([name, said]) => <option key={name} value={name}>{said}</option>)}
      </select>
    </div>
  );
}
