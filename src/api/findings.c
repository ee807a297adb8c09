#include "config.h"

#include "api/objects_priv.h"

const char *mpl_analysis_verdict(const struct mpl_analysis *analysis)
{
    return mpl_verdict_name(mpl_analysis_diagnosis(analysis)->verdict);
}

const char *mpl_analysis_summary(const struct mpl_analysis *analysis)
{
    return mpl_analysis_diagnosis(analysis)->summary;
}

double mpl_analysis_lost_s(const struct mpl_analysis *analysis)
{
    return mpl_analysis_diagnosis(analysis)->lost_s;
}

double mpl_analysis_explained_s(const struct mpl_analysis *analysis)
{
    return mpl_analysis_diagnosis(analysis)->explained_s;
}

size_t mpl_finding_count(const struct mpl_analysis *analysis)
{
    return mpl_analysis_diagnosis(analysis)->n_findings;
}

/* A caller that reads behind the end has a bug; it learns so here, not from garbage. */
static const struct mpl_diagnosed *get(const struct mpl_analysis *analysis, size_t i)
{
    const struct mpl_diagnosis *diagnosis = mpl_analysis_diagnosis(analysis);

    mpl_assert(i < diagnosis->n_findings);
    return &diagnosis->findings[i];
}

const char *mpl_finding_id(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->id;
}

const char *mpl_finding_kind(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->kind;
}

const char *mpl_finding_name(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->name;
}

const char *mpl_finding_pattern(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->pattern;
}

const char *mpl_finding_text(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->text;
}

const char *mpl_finding_remedy(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->remedy;
}

bool mpl_finding_is_healthy(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->is_healthy;
}

double mpl_finding_lost_s(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->lost_s;
}

double mpl_finding_severity(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->severity;
}

double mpl_finding_share_of_lost(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->share_of_lost;
}

double mpl_finding_gain_s(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->gain_s;
}

double mpl_finding_confidence(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->confidence;
}

bool mpl_finding_is_clock_sensitive(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->is_clock_sensitive;
}

size_t mpl_finding_location_count(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->finding->n_locations;
}

const char *mpl_finding_location(const struct mpl_analysis *analysis, size_t i, size_t k)
{
    mpl_assert(k < get(analysis, i)->finding->n_locations);
    return get(analysis, i)->finding->locations[k];
}

size_t mpl_finding_because_count(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->n_because;
}

const char *mpl_finding_because(const struct mpl_analysis *analysis, size_t i, size_t k)
{
    mpl_assert(k < get(analysis, i)->n_because);
    return get(analysis, i)->because[k];
}

size_t mpl_finding_evidence_count(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->n_evidence;
}

const char *mpl_finding_evidence(const struct mpl_analysis *analysis, size_t i, size_t k,
                                 const char **location, double *value, const char **unit)
{
    const struct mpl_diagnosed *d = get(analysis, i);

    mpl_assert(k < d->n_evidence);
    if (location != NULL) {
        *location = d->evidence[k].location;
    }
    if (value != NULL) {
        *value = d->evidence[k].value;
    }
    if (unit != NULL) {
        *unit = d->evidence[k].unit;
    }
    return d->evidence[k].metric;
}

size_t mpl_finding_where_count(const struct mpl_analysis *analysis, size_t i)
{
    return get(analysis, i)->n_where;
}

const char *mpl_finding_where(const struct mpl_analysis *analysis, size_t i, size_t k,
                              const char **file, uint32_t *line)
{
    const struct mpl_diagnosed *d = get(analysis, i);

    mpl_assert(k < d->n_where);
    if (file != NULL) {
        *file = d->where[k].file;
    }
    if (line != NULL) {
        *line = d->where[k].line;
    }
    return d->where[k].region;
}
