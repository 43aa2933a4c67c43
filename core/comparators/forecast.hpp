// When to measure a gap whose measurement is expensive. A pass knows what each row added to the gap
// before its own step; the sum nearly tells what is left.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace novikoff {

class GapForecast {
  public:
    void restart() {
        estimate_ = 0;
        visited_ = 0;
        then_ = std::numeric_limits<double>::infinity();
    }

    void end_pass(double estimate, std::size_t visited) {
        const double pace = estimate_ > 0 ? std::min(estimate / estimate_, 1.0) : 1;
        estimate_ = estimate;
        forecast_ = estimate * std::sqrt(pace);  // half a pass later, at this pace
        visited_ += visited;
    }

    void measured(double gap) {
        if (forecast_ > 0) ratio_ = std::clamp(gap / forecast_, 0.5, 1.0);
        then_ = forecast_;
        visited_ = 0;
    }

    // gap ≤ tolerance · primal?
    bool hopeful(double tolerance, double dual) const {
        return ratio_ * forecast_ <= tolerance * (dual + ratio_ * forecast_);
    }
    // A measurement costs about half a pass over all rows: do not spend much more than that on
    // measurements that disappoint.
    bool affordable(std::size_t rows) const {
        return 2 * visited_ >= rows || 2 * forecast_ <= then_;
    }

  private:
    double estimate_ = 0, forecast_ = 0;  // of the last pass, and of the gap after it
    double ratio_ = 1;                    // of the gap to its forecast
    double then_ = std::numeric_limits<double>::infinity();  // the forecast when it was measured
    std::size_t visited_ = 0;                                // rows since
};

}  // namespace novikoff
