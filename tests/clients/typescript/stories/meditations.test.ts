// Plan, run and watch meditations; goals, settings and metrics.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MeditationStatus } from "kimberly-client/node/meditation_service";
import { Tier } from "kimberly-client/node/memory";
import { SettingOrigin, WeightPreset } from "kimberly-client/node/settings_service";
import { newUser, serving } from "./serving.js";

describe("meditations", () => {
  const kimberly = serving();

  it("does what the dry run showed, while it is watched", async () => {
    const userId = newUser();
    const memories = Array.from({ length: 40 }, (_, n) => ({ content: `filler ${n} ${"x".repeat(500)}` }));
    const { receipts } = await kimberly.memories.batchCreateMemories({ userId, memories });
    const bytes = receipts.reduce((sum, receipt) => sum + receipt.sizeBytes, 0);
    const longTermQuotaBytes = Math.floor((bytes * 10) / 11);
    await kimberly.settings.updateSettings({
      userId,
      userSettings: { longTermQuotaBytes },
      updateMask: ["long_term_quota_bytes"],
    });
    const plan = await kimberly.meditations.meditate({ userId, dryRun: true });
    assert.ok((plan.meditation?.archived ?? 0) > 0);
    const started = await kimberly.meditations.meditate({ userId, planToken: plan.planToken });
    const applied: string[] = [];
    let last = started.meditation;
    for await (const event of kimberly.meditations.watchMeditation({ userId, id: started.meditation?.id })) {
      if (event.decision?.step === "retain") applied.push(event.decision.memoryId);
      if (event.progress) last = event.progress;
    }
    assert.equal(last?.status, MeditationStatus.MEDITATION_STATUS_COMPLETE, last?.error);
    const planned = plan.decisions.filter((decision) => decision.step === "retain").map((decision) => decision.memoryId);
    assert.deepEqual(applied, planned);
    const { user } = await kimberly.metrics.getMetrics({ userId });
    const longTerm = user?.tiers.find((tier) => tier.tier === Tier.TIER_LONG_TERM);
    assert.ok((longTerm?.bytes ?? Infinity) <= longTermQuotaBytes);
    assert.equal(user?.archive?.items, applied.length);
  });

  it("raises what goals are about", async () => {
    const userId = newUser();
    const { goal } = await kimberly.goals.createGoal({ userId, goal: { title: "Learn to play the cello" } });
    const score = async (content: string) =>
      (await kimberly.memories.createMemory({ userId, memory: { content } })).receipt?.score ?? NaN;
    assert.ok((await score("My cello teacher wants me to play Bach.")) > (await score("The bus stops at the corner.")));
    await kimberly.goals.deleteGoal({ userId, id: goal?.id });
    assert.equal((await kimberly.goals.listGoals({ userId })).goals.length, 0);
  });

  it("says where each setting comes from", async () => {
    const userId = newUser();
    const before = await kimberly.settings.getSettings({ userId });
    assert.equal(before.effective?.grace?.origin, SettingOrigin.SETTING_ORIGIN_DEFAULT);
    const after = await kimberly.settings.updateSettings({
      userId,
      userSettings: { grace: { seconds: 7 * 86_400 }, preset: WeightPreset.WEIGHT_PRESET_ARCHIVAL },
      updateMask: ["grace", "scoring"],
      etag: before.etag,
    });
    assert.deepEqual(
      [after.effective?.grace?.value?.seconds, after.effective?.grace?.origin],
      [7 * 86_400, SettingOrigin.SETTING_ORIGIN_USER],
    );
    assert.equal(after.effective?.weights?.preset, WeightPreset.WEIGHT_PRESET_ARCHIVAL);
  });

  it("publishes metrics of the system", async () => {
    const { system } = await kimberly.metrics.getMetrics({});
    assert.ok(system?.version);
    assert.equal(system.embeddingEnabled, false);
    assert.ok(system.metrics.length > 0);
  });
});
