// A block as Python holds it: one of the array forms, with the arrays kept alive.
#pragma once

#include <variant>
#include <vector>

#include "../blocks/block.hpp"
#include "arrays.hpp"

namespace novikoff {

struct AnyBlock {
    std::variant<DenseBlock<float>, DenseBlock<double>, SparseBlock<std::int32_t, float>,
                 SparseBlock<std::int32_t, double>, SparseBlock<std::int64_t, float>,
                 SparseBlock<std::int64_t, double>>
        form;
    std::vector<nb::object> owners;

    void check(std::size_t start, std::size_t stop) const {
        const bool sound =
            std::visit([&](const auto& b) { return b.sound_rows(start, stop); }, form);
        if (!sound) throw nb::value_error("rows that lie within the arrays");
    }
    std::size_t rows() const {
        return std::visit([](const auto& b) { return b.rows; }, form);
    }
    std::size_t columns() const {
        return std::visit([](const auto& b) { return b.columns; }, form);
    }
};

void bind_blocks(nb::module_& m);
void bind_ledger(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_penalised(nb::module_& m);
void bind_blend(nb::module_& m);
void bind_members(nb::module_& m);
void bind_descent(nb::module_& m);
void bind_regression(nb::module_& m);
void bind_class_blend(nb::module_& m);
void bind_hypotheses(nb::module_& m);
void bind_features(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_rounds(nb::module_& m);
void bind_vectors(nb::module_& m);
void bind_comparators(nb::module_& m);
void bind_chunks(nb::module_& m);
void bind_files(nb::module_& m);
void bind_simplex(nb::module_& m);
void bind_class_comparators(nb::module_& m);
void bind_softmax(nb::module_& m);
void bind_kernel_chunks(nb::module_& m);
void bind_version_space(nb::module_& m);
void bind_regret(nb::module_& m);
void bind_chains(nb::module_& m);
void bind_chain_rules(nb::module_& m);
void bind_shard_means(nb::module_& m);
void bind_trees(nb::module_& m);
void bind_transforms(nb::module_& m);

}  // namespace novikoff
